"""Right-hand sides, matrices and starts at which conjugate gradients stop early, and only where they have to."""

import numpy as np
import pytest
import scipy.sparse as sp

from backbench import NUMPY, SYMPY, Status, exact, precision

A = np.array([[4.0, 1], [1, 3]])
SOLUTION = [1 / 11, 7 / 11]


@pytest.fixture(autouse=True)
def in_float64():
    with precision(64):
        yield


def solve(method, lin, y, x0=None, rtol=1e-10, atol=0, max_iter=50):
    y = np.array(y, dtype=np.result_type(np.float64, np.asarray(y).dtype))
    return NUMPY.linear_solve(method, lin, y, np.zeros_like(y) if x0 is None else x0, rtol, atol, max_iter, False)


def test_a_zero_right_hand_side_needs_no_step(method, given_as):
    result = solve(method, given_as(A), [[0, 0], [1, 2]], rtol=[1e-10] * 2, atol=[0, 0], max_iter=[50, 50])
    np.testing.assert_array_equal(result.x[0], 0)
    np.testing.assert_allclose(result.x[1], SOLUTION, rtol=1e-12)
    assert result.iterations.tolist() == [0, 2]
    assert result.function_evaluations[0] == 1
    assert result.converged.all() and not result.diverged.any()


def test_a_zero_right_hand_side_far_from_the_start_gives_zero(method, given_as):
    result = solve(method, given_as(A), [[0, 0], [0, 0]], x0=[[3, -1], [1e-9, 0]], atol=[0, 1e-6])
    np.testing.assert_array_equal(result.x, [[0, 0], [1e-9, 0]])  # the second start was good enough
    assert result.iterations.tolist() == [0, 0]
    assert result.converged.all()


def test_the_zero_matrix_solves_only_zero(method, given_as):
    result = solve(method, given_as(np.zeros((2, 2))), [[0, 0], [1, 0]])
    assert result.status == [Status.CONVERGED, Status.BREAKDOWN]
    assert result.iterations.tolist() == [0, 0]


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-120, 1e120, 1e200, 1e300])
def test_tiny_and_huge_right_hand_sides(method, given_as, size):
    result = solve(method, given_as(A), [[size, 2 * size]])
    assert result.status == [Status.CONVERGED]
    np.testing.assert_allclose(result.x / size, [SOLUTION], rtol=1e-9)
    assert 1 <= result.iterations[0] <= 3


@pytest.mark.parametrize("bits, size", [(16, 1e-4), (16, 2e4), (32, 1e-30), (32, 1e30)])
def test_tiny_and_huge_right_hand_sides_in_low_precision(method, given_as, bits, size):
    with precision(bits):
        result = solve(method, given_as(A), [[size, 2 * size]], rtol=1e-2)
    assert result.status == [Status.CONVERGED]
    np.testing.assert_allclose(result.x.astype(np.float64) / size, [SOLUTION], rtol=2e-2)


def test_no_iterations_allowed(method, given_as):
    result = solve(method, given_as(A), [[1, 2], [1, 2], [0, 0]], x0=[[0, 0], SOLUTION, [0, 0]], max_iter=0)
    assert result.status == [Status.MAX_ITERATIONS, Status.CONVERGED, Status.CONVERGED]
    assert result.iterations.tolist() == [0, 0, 0]
    assert not result.diverged.any()
    np.testing.assert_array_equal(result.x[0], 0)


def test_max_iter_is_not_divergence(method, given_as, definite):
    result = solve(method, given_as(definite(30)), np.ones((2, 30)), max_iter=[3, 4])
    assert result.status == [Status.MAX_ITERATIONS] * 2
    assert result.iterations.tolist() == [3, 4]
    assert not result.converged.any() and not result.diverged.any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["y", "x0"])
def test_one_example_that_is_not_finite_stops_alone(method, given_as, definite, bad, where):
    y, x0 = np.ones((3, 20)), np.zeros((3, 20))
    alone = solve(method, given_as(definite(20)), y[:1])
    (y if where == "y" else x0)[1, 7] = bad
    result = solve(method, given_as(definite(20)), y, x0=x0)
    assert result.status == [Status.CONVERGED, Status.NON_FINITE, Status.CONVERGED]
    assert result.diverged.tolist() == [False, True, False]
    assert result.iterations[1] == 0 and result.function_evaluations[1] == 1
    np.testing.assert_allclose(result.x[[0, 2]], np.repeat(alone.x, 2, 0), rtol=1e-12)
    assert (result.iterations[[0, 2]] == alone.iterations).all()


def test_a_callable_never_meets_a_bad_start(method):
    def lin(x):
        assert np.isfinite(x).all()
        return x @ A

    result = solve(method, lin, [[1, 2], [np.nan, 0]], x0=[[0, 0], [0, np.nan]])
    assert result.status == [Status.CONVERGED, Status.NON_FINITE]


@pytest.mark.parametrize("entry", [np.nan, np.inf])
def test_a_matrix_that_is_not_finite(method, given_as, entry):
    result = solve(method, given_as([[entry, 0], [0, 1]]), [[1.0, 1.0]])
    assert result.status == [Status.NON_FINITE]
    np.testing.assert_array_equal(result.x, 0)


def test_overflow_on_the_way_leaves_the_last_finite_state(method, given_as):
    steep = np.diag([1e-300, 1.0])
    result = solve(method, given_as(steep), [[1e20, 1.0]], max_iter=50)
    assert not result.converged.any()
    assert np.isfinite(result.x).all() and np.isfinite(result.residual).all()


@pytest.mark.parametrize(
    "bits, matrix, y",
    [
        (64, [[4e-200, 1e-200], [1e-200, 3e-200]], [1e200, 2e200]),
        (32, [[1e-30, 0], [0, 1e-30]], [1e30, 1e30]),
        (32, [[1, 0], [0, 1e-38]], [0, 1e3]),
        (16, [[1e-4, 0], [0, 1e-4]], [100, 100]),
        (16, [[1e-5, 0], [0, 1]], [1, 1]),
    ],
)
def test_a_solution_beyond_the_range_is_not_a_solution(method, given_as, bits, matrix, y):
    with precision(bits):
        trajectory = NUMPY.linear_solve(method, given_as(np.array(matrix)), [y], [[0, 0]], 1e-2, 0, 50, True)
    assert trajectory[-1].status == [Status.NON_FINITE]
    assert trajectory[-1].diverged.all()
    assert f"range of float{bits}" in trajectory[-1].message[0]
    assert np.isfinite(trajectory.x).all() and np.isfinite(trajectory.residual).all()


@pytest.mark.parametrize("empty", [0, 1])
def test_an_infinite_unknown_is_noticed_in_a_column_without_entries(method, empty):
    """Not even inf · 0 = NaN tells of it."""
    A = sp.csr_array(([1e-30], ([1 - empty], [1 - empty])), shape=(2, 2))
    y = np.full((1, 2), 1e30)
    y[0, empty] = 1e20
    with precision(32):
        result = NUMPY.linear_solve(method, A, y, 0 * y, 1e-5, 0, 50, False)
    assert result.status == [Status.NON_FINITE] and np.isfinite(result.x).all()


@pytest.mark.parametrize("bits, unit", [(16, 2.0**-24), (32, 2.0**-149), (64, 2.0**-1074)])
@pytest.mark.parametrize("size", [1, 3, 20, 1000])
def test_solutions_near_the_smallest_numbers_are_checked_after_rounding(method, given_as, bits, unit, size):
    stored = f"float{bits}"
    y = np.array([[size * unit, 2 * size * unit]], np.float64).astype(stored)
    matrix = A.astype(stored)
    with precision(bits):
        result = NUMPY.linear_solve(method, given_as(matrix), y, 0 * y, 1e-3, 0, 50, False)
    units, rhs = ((v.astype(np.longdouble) / np.longdouble(unit)).astype(float) for v in (result.x, y))
    error = np.linalg.norm(rhs - units @ A)
    assert result.converged[0] == (error <= 1e-3 * np.linalg.norm(rhs))
    assert result.converged[0] or result.status == [Status.STAGNATED]


@pytest.mark.parametrize("rtol", [0, 1e-40])
def test_an_error_whose_square_is_zero_is_not_zero(method, given_as, rtol):
    y = np.array([[1, 1e-30]], np.float32)
    with precision(32):
        result = NUMPY.linear_solve(method, given_as(np.diag([1.0, 3.0])), y, 0 * y, rtol, 0, 1, False)
    error = np.abs(y - result.x * np.array([1, 3], np.float32)).max()
    assert error > 0 and not result.converged.any()


def test_what_is_too_small_to_be_scaled_is_not_forgotten(method, given_as):
    y = np.array([[1e200, 1e-200]])
    result = solve(method, given_as(np.eye(2)), y, rtol=0, atol=1e-210)
    assert not result.converged.any()
    assert solve(method, given_as(np.eye(2)), y).converged.all()


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("y", [[1, 0.25], [0, 1], [1, 2], [1, -1], [3, 7], [0.1, 0.3], [-2, 5], [0, -2], [1e9, 1]])
@pytest.mark.parametrize(
    "matrix",
    [[[1, 1], [1, 1]], [[1, -2], [-2, 4]], [[4, -6], [-6, 9]], [[0.1, 0.3], [0.3, 0.9]], [[1, 2], [2, 1]]],
    ids=str,
)
def test_singular_and_indefinite_matrices(method, given_as, bits, y, matrix):
    """Whatever leads over a direction without curvature ends with a finite state that is no worse than the start."""
    A, y = np.array(matrix, float), np.array([y], float)
    with precision(bits):
        result = NUMPY.linear_solve(method, given_as(A), y, 0 * y, 1e-6, 0, 5000, False)
    distance = np.linalg.norm(y - np.linalg.lstsq(A, y[0], rcond=1e-10)[0] @ A)
    if distance > 1e-3 * np.linalg.norm(y):
        assert not result.converged.any() and result.diverged.all(), result.message
        assert np.linalg.norm(result.x) < 1e3 * np.linalg.norm(y)
    assert np.linalg.norm(result.residual) <= 1.000001 * np.linalg.norm(y)


@pytest.mark.parametrize("matrix", [[[1, 0], [0, 0]], [[0, 1], [1, 0]], [[1e-20, 0], [0, 0]]])
def test_matrices_with_zeros_where_curvature_should_be(method, given_as, matrix):
    result = solve(method, given_as(np.array(matrix, float)), [[1, 0.25], [0, 1]])
    assert not result.converged.any()
    assert result.diverged.all()
    assert np.isfinite(result.x).all()


@pytest.mark.parametrize("seed", range(12))
def test_systems_without_a_solution_end_as_diverged(method, given_as, seed):
    rng = np.random.default_rng(seed)
    G = rng.integers(-3, 4, (5, 3)).astype(float)
    A, y = G @ G.T, rng.standard_normal((1, 5))
    result = solve(method, given_as(A), y, rtol=1e-6, max_iter=5000)
    assert result.diverged.all(), result.message
    assert np.linalg.norm(result.x) < 1e6
    assert np.linalg.norm(y - result.x @ A) <= 1.001 * np.linalg.norm(y)


def test_a_failed_example_returns_its_best_state(method, given_as):
    """The indefinite matrix first lets the residual grow to ten times its size."""
    A, y = np.diag([1.0, -0.9]), np.array([[1.0, 1.0]])
    trajectory = NUMPY.linear_solve(method, given_as(A), y, 0 * y, 1e-9, 0, 50, True)
    assert trajectory.residual_norm[1, 0] > 10 * trajectory.residual_norm[0, 0]
    assert trajectory[-1].status == [Status.BREAKDOWN]
    assert trajectory.residual_norm[-1, 0] == trajectory.residual_norm[0, 0]
    np.testing.assert_allclose(trajectory[-1].residual, y - trajectory[-1].x @ A)


@pytest.mark.parametrize("log_condition", [4, 8, 10])
def test_a_condition_number_that_the_precision_allows_is_not_called_singular(method, given_as, log_condition):
    rng = np.random.default_rng(log_condition)
    Q = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    A = Q * np.logspace(0, log_condition, 12) @ Q.T
    assert solve(method, given_as((A + A.T) / 2), rng.standard_normal((1, 12)), rtol=1e-5, max_iter=5000).converged


def test_a_singular_matrix_with_a_solution(method, given_as):
    laplacian = np.diag([1.0, 2, 2, 1]) - np.eye(4, k=1) - np.eye(4, k=-1)  # constants are its null space
    result = solve(method, given_as(laplacian), [[1, 0, 0, -1]])
    assert result.status == [Status.CONVERGED]


def test_negative_definite_matrices_are_solved_like_positive_ones(method, given_as):
    result = solve(method, given_as(-A), [[-1, -2]])
    positive = solve(method, given_as(A), [[1, 2]])
    np.testing.assert_array_equal(result.x, positive.x)
    assert result.status == positive.status == [Status.CONVERGED]


@pytest.mark.parametrize("size", [1, 2, 20, 300])
def test_ill_conditioned_systems_are_not_called_diverged(method, given_as, size):
    result = solve(method, given_as(np.diag(np.linspace(1, 1e6, size))), np.ones((1, size)), max_iter=5000)
    assert result.status == [Status.CONVERGED]


def test_a_residual_that_grows_a_thousandfold_is_not_divergence(method, given_as):
    """From here the residual rises to some hundred times its first norm before it falls."""
    diagonal = np.logspace(0, 6, 40)
    y = 1 / diagonal
    trajectory = NUMPY.linear_solve(
        method, given_as(np.diag(diagonal)), y[None], np.zeros((1, 40)), 1e-8, 0, 9999, True
    )
    norms = trajectory.residual_norm[:, 0]
    assert trajectory[-1].status == [Status.CONVERGED]
    assert norms.max() > 10 * norms[0]


def test_poisson_to_the_last_digits(method, poisson):
    y = np.random.default_rng(3).standard_normal((1, 24**2))
    result = solve(method, poisson(24), y, rtol=1e-12, max_iter=1000)
    assert result.status == [Status.CONVERGED]


def test_complex_hermitian_systems(method, given_as, definite):
    H = definite(15, is_complex=True)
    y = np.random.default_rng(1).standard_normal((2, 15)) * (1 + 2j)
    result = solve(method, given_as(H), y)
    assert result.x.dtype == np.complex128
    np.testing.assert_allclose(result.x, np.linalg.solve(H, y.T).T, rtol=1e-8)
    assert result.converged.all()


def test_a_complex_matrix_turns_a_real_right_hand_side_complex(method, given_as, definite):
    H = definite(6, is_complex=True)
    result = solve(method, given_as(H), np.ones((1, 6)))
    np.testing.assert_allclose(result.x[0], np.linalg.solve(H, np.ones(6)), rtol=1e-8)


def test_no_examples(method, given_as):
    result = solve(method, given_as(A), np.zeros((0, 2)))
    assert result.x.shape == (0, 2) and result.iterations.shape == (0,)


@pytest.mark.parametrize("given", [np.array, sp.csr_array, lambda A: np.array([A]), lambda A: [np.array(A)]])
def test_a_matrix_that_is_not_symmetric_is_named_when_it_fails(given):
    A = [[4.0, 2.0], [0.0, 3.0]]
    result = NUMPY.linear_solve("CG", given(A), [[1.0, 2.0]], [[0.0, 0.0]], 1e-6, 0, 20, False)
    assert not result.converged[0] and result.message[0].endswith(
        "not symmetric (Hermitian), which conjugate gradients need."
    )
    symmetric = np.array([[4.0, 2.0], [2.0, 3.0]])
    result = NUMPY.linear_solve("CG", given(symmetric), [[1.0, 2.0]], [[0.0, 0.0]], 1e-6, 0, 1, False)
    assert not result.converged[0] and "symmetric" not in result.message[0]


def test_a_matrix_that_is_not_symmetric_is_named_in_exact_arithmetic():
    A, y, x0 = map(exact, ([[4, 2], [0, 3]], [[1, 2]], [[0, 0]]))
    result = SYMPY.linear_solve("CG", A, y, x0, 0, 0, 5, False)
    assert "not symmetric" in result.message[0]


def test_a_result_is_shown_as_its_messages():
    result = NUMPY.linear_solve("CG", np.eye(2), np.ones((10, 2)), np.zeros((10, 2)), 1e-6, 0, 20, False)
    lines = repr(result).splitlines()
    assert (
        lines[0] == "SolveResult of CG:" and "Converged after 1 iteration" in lines[1] and lines[-1] == "  and 2 more"
    )
