"""Right-hand sides, matrices and starts at which conjugate gradients stop early, and only where they have to."""

import numpy as np
import pytest

from backbench import NUMPY, Status, precision

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
    "matrix", [[[1, 0], [0, 0]], [[1, 1], [1, 1]], [[1, 2], [2, 1]], [[0, 1], [1, 0]], [[1e-20, 0], [0, 0]]]
)
def test_singular_and_indefinite_matrices(method, given_as, matrix):
    """With right-hand sides that are out of range, or lead over a direction without curvature."""
    result = solve(method, given_as(np.array(matrix, float)), [[1, 0.25], [0, 1]])
    assert not result.converged.any()
    assert result.diverged.all()
    assert np.isfinite(result.x).all()


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
