"""Binder without a container engine: what repo2docker would build, and that its one step works.

repo2docker detects, reads and renders in plain Python; only building needs an engine. So the Dockerfile is rendered
with its own build packs, and the installation step is run in a fresh environment.
"""

import ast
import os
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[2]
DISTRIBUTIONS = {module: set(map(canonicalize_name, names)) for module, names in packages_distributions().items()}
NOTEBOOKS = sorted(REPOSITORY.glob("notebooks/*.ipynb"))


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def requirements(project: dict[str, Any]) -> dict[str, Requirement]:
    return {canonicalize_name(r.name): r for r in map(Requirement, project["dependencies"])}


def environment(name: str) -> dict[str, Any]:
    return yaml.safe_load((REPOSITORY / name).read_text())


# repo2docker itself imports a module by its old name.
@pytest.mark.filterwarnings("ignore:pythonjsonlogger.jsonlogger has been moved:DeprecationWarning")
def test_repo2docker_builds_with_conda_from_the_binder_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    from repo2docker.app import Repo2Docker

    monkeypatch.chdir(REPOSITORY)
    app = Repo2Docker()
    pack = next(pack for pack in (make(base_image=app.base_image) for make in app.buildpacks) if pack.detect())
    pack.platform = "linux/amd64"

    assert type(pack).__name__ == "CondaBuildPack"
    assert pack.binder_dir == "binder"
    assert pack.python_version == "3.11"
    assert pack.get_post_build_scripts() == ["binder/postBuild"]

    dockerfile = pack.render({"NB_USER": "jovyan", "NB_UID": "1000"})
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "binder/environment.yml"' in dockerfile
    assert dockerfile.index("env update") < dockerfile.index("RUN ./binder/postBuild")


@pytest.mark.parametrize("name", ["environment.yml", "binder/environment.yml"])
def test_conda_brings_only_a_python_that_fits(name: str, project: dict[str, Any]) -> None:
    python, *others = (entry for entry in environment(name)["dependencies"] if isinstance(entry, str))
    assert others == ["pip"]
    assert python == "python=3.11"  # repo2docker understands no other form
    assert SpecifierSet(project["requires-python"]).contains(python.removeprefix("python="))


def test_pip_entries_name_this_project_only() -> None:
    pip = [entry["pip"] for entry in environment("environment.yml")["dependencies"] if isinstance(entry, dict)]
    assert pip == [["-e ."]]
    assert not any(isinstance(entry, dict) for entry in environment("binder/environment.yml")["dependencies"])


def test_post_build_is_a_real_executable_script_that_stops_at_errors() -> None:
    script = REPOSITORY / "binder/postBuild"
    assert not script.is_symlink()
    assert os.access(script, os.X_OK)
    lines = script.read_text().splitlines()
    assert lines[0] == "#!/bin/bash"
    commands = [line for line in lines if line and not line.startswith("#")]
    assert commands == ["set -e", "python -m pip install --no-cache-dir -e ."]


@pytest.mark.parametrize(
    ("name", "too_old"), [("jupyterlab", "3.6"), ("ipywidgets", "7.7"), ("jupyterlab-widgets", "1.1")]
)
def test_the_three_parts_of_jupyter_widgets_fit_together(
    name: str, too_old: str, requirements: dict[str, Requirement]
) -> None:
    specifier = requirements[name].specifier
    assert not specifier.contains(too_old)
    assert any(part.operator == ">=" for part in specifier)


def imported_modules(code: str) -> set[str]:
    """The top names of everything imported anywhere in some code, without those of this project itself."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names - {"backbench", "__future__"} - sys.stdlib_module_names


def not_brought(code: str, requirements: dict[str, Requirement]) -> set[str]:
    """The imported modules that no listed distribution brings."""
    return {module for module in imported_modules(code) if not DISTRIBUTIONS.get(module, set()) & set(requirements)}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_import_only_what_an_installation_brings(
    notebook: Path, requirements: dict[str, Requirement]
) -> None:
    cells = nbformat.read(notebook, as_version=4).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert not_brought(code, requirements) == set()


def test_the_package_imports_only_what_pyproject_lists(
    project: dict[str, Any], requirements: dict[str, Requirement]
) -> None:
    extras = [Requirement(line) for lines in project["optional-dependencies"].values() for line in lines]
    listed = {**requirements, **{canonicalize_name(requirement.name): requirement for requirement in extras}}
    for path in sorted((REPOSITORY / "backbench").rglob("*.py")):
        assert not_brought(path.read_text(), listed) == set(), path


@pytest.mark.slow
def test_post_build_gives_an_environment_in_which_the_notebooks_run(copy_of_project: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["PATH"] = f"{venv / 'bin'}{os.pathsep}{environment['PATH']}"

    def run(*command: str) -> str:
        done = subprocess.run(
            command, cwd=copy_of_project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert done.returncode == 0, done.stdout[-4000:]
        return done.stdout

    run("binder/postBuild")
    extensions = run("jupyter", "labextension", "list")
    for name in ("@jupyter-widgets/jupyterlab-manager", "anywidget"):
        line = next(line for line in extensions.splitlines() if name in line)
        assert "enabled" in line and "OK" in line
    notebooks = sorted(str(path) for path in copy_of_project.glob("notebooks/*.ipynb"))
    assert notebooks
    run("jupyter", "nbconvert", "--to=notebook", "--execute", f"--output-dir={tmp_path / 'executed'}", *notebooks)
