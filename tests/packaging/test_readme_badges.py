"""The README's addresses agree with the one in pyproject.toml, and what they point at is there."""

import doctest
import re
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
README = (REPOSITORY / "README.md").read_text()
ADDRESS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["urls"]["Repository"]
OWNER_AND_NAME = ADDRESS.removeprefix("https://github.com/")
BINDER_LINKS = re.findall(r"https://mybinder\.org/v2/gh/[^\s)\"]+", README)


def test_there_is_a_binder_badge() -> None:
    assert BINDER_LINKS
    assert "https://mybinder.org/badge_logo.svg" in README


@pytest.mark.parametrize("link", BINDER_LINKS)
def test_binder_links_open_a_notebook_of_this_repository(link: str) -> None:
    found = re.fullmatch(r"https://mybinder\.org/v2/gh/([^/]+/[^/]+)/([^/?]+)\?urlpath=lab/tree/(.+)", link)
    assert found, link
    owner_and_name, _, path = found.groups()
    assert owner_and_name == OWNER_AND_NAME
    assert path.startswith("notebooks/")
    assert (REPOSITORY / path).is_file()


def test_every_address_of_the_repository_is_the_one_in_pyproject() -> None:
    found = re.findall(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?(?=[/)\s#?]|$)", README, re.MULTILINE)
    assert set(found) <= {OWNER_AND_NAME}
    assert "OWNER/" not in README or OWNER_AND_NAME.startswith("OWNER/")


def test_local_links_and_pictures_are_there() -> None:
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", README) if "://" not in target]
    assert targets
    missing = [target for target in targets if not (REPOSITORY / target.partition("#")[0]).exists()]
    assert missing == []


def test_the_first_screen_names_the_two_commands_and_no_other_way_to_install() -> None:
    first_screen = README.partition("\n## ")[0] + README.partition("\n## ")[2].partition("\n## ")[0]
    commands = re.findall(r"^(?:python3?|pip|conda|uv|make|npm|docker)\b.*$", first_screen, re.MULTILINE)
    assert [re.sub(r"\s+#.*", "", command) for command in commands] == [
        "python3 workbench lab",
        "python3 workbench test",
    ]


def test_the_examples_give_what_the_readme_shows() -> None:
    failed, tried = doctest.testfile(str(REPOSITORY / "README.md"), module_relative=False)
    assert tried
    assert not failed
