"""The plugin of pytest. It is there wherever choreomon is installed, and does nothing until a test
asks for the fixture `choreomon`, or the option `--choreomon-report` is given.

    @pytest.mark.choreomon("property.yaml")
    async def test_the_parcel(choreomon):
        shop, customer = choreomon.process("shop"), choreomon.process("customer")
        await customer.handling(await shop.sending("customer", "parcel"))

Each test is a run of its own. When its function is over, monitors find out what is still open, and
the test fails with the explanation where one of them declared something.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from choreomon.testing.monitored_run import MonitoredRun

_MARK: Final = "choreomon"

_EXERCISE: Final = "choreomon exercise"
"""The name of a property of a test's report, which reaches the one who sums up also from workers of
pytest-xdist."""

_MARKER: Final = (
    "choreomon(property, possible=True): the property that the fixture choreomon monitors, a file "
    "beside the test's or in the root folder; possible=False: what is only possible fails no test"
)


class _Monitors:
    """The run of one test."""

    def __init__(self, run: MonitoredRun, possible: bool) -> None:
        self.run = run
        self.possible = possible


_monitors: Final = pytest.StashKey[_Monitors]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("choreomon", "forbidden message sequences")
    group.addoption(
        "--choreomon-report",
        metavar="DIR",
        help="Keep a page and a log of the monitored run of each failing test in this folder.",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture
def choreomon(request: pytest.FixtureRequest) -> Iterator[MonitoredRun]:
    """A monitor for each process of the property that the test's marker names."""
    from choreomon.core.errors import ChoreomonError
    from choreomon.documents.read import load_document
    from choreomon.testing.monitored_run import MonitoredRun

    marker = request.node.get_closest_marker(_MARK)
    if marker is None:
        raise pytest.UsageError(
            f"{request.node.nodeid}: the fixture choreomon needs a property: mark the test with "
            '@pytest.mark.choreomon("property.yaml")'
        )
    file, possible = _asked(request.node.nodeid, *marker.args, **marker.kwargs)
    try:
        run = MonitoredRun(load_document(_place(request, file)))
    except ChoreomonError as error:
        raise pytest.UsageError(str(error)) from None
    try:
        run.start()
        request.node.stash[_monitors] = _Monitors(run, possible)
        yield run
    finally:
        run.close()


@pytest.fixture(scope="session")
def choreomon_monitored() -> Callable[..., AbstractContextManager[MonitoredRun]]:
    """`choreomon.testing.monitored`, for tests with several runs, such as those of hypothesis."""
    from choreomon.testing import monitored

    return monitored


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """End the run when the test's function is over, so that it is the test that fails."""
    try:
        result = yield
    except (Exception, pytest.fail.Exception):
        try:
            _over(item, failing=True)
        except Exception as error:  # less important than why the test fails
            item.add_report_section("call", "choreomon", f"{type(error).__name__}: {error}")
        raise
    _over(item, failing=False)
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what of each property no test had to do with."""
    found: dict[str, list[Any]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, told in getattr(report, "user_properties", ()):
                if name == _EXERCISE and report.when == "call":
                    exercise = json.loads(told)
                    found.setdefault(exercise.pop("property"), []).append(exercise)
    if not found:
        return
    from choreomon.core.run import Exercise
    from choreomon.sentences.exercised import exercise_sentences

    for file, exercises in found.items():
        for sentence in exercise_sentences((Exercise(**each) for each in exercises), "test"):
            terminalreporter.write_line(f"{file}: {sentence}")


def _over(item: pytest.Item, *, failing: bool) -> None:
    monitors = item.stash.get(_monitors, None)
    if monitors is None:
        return
    from choreomon.testing.monitored_run import declared, explained

    run, document = monitors.run.finish(), monitors.run.document
    against = declared(run, possible=monitors.possible)
    text = explained(run, document, against)
    if run.exercise is not None:
        told = {"property": document.file, **run.exercise._asdict()}
        item.user_properties.append((_EXERCISE, json.dumps(told)))
    folder = item.config.getoption("--choreomon-report")
    if folder and (failing or against):
        from choreomon.testing.report_files import keep

        text += f"\n{keep(Path(folder), item.nodeid, run, document)}"
    if failing:
        item.add_report_section("call", "choreomon", text)
    elif against:
        pytest.fail(text, pytrace=False)


def _asked(test: str, *arguments: Any, **named: Any) -> tuple[str, bool]:
    """The file, and whether what is possible counts."""

    def marked(property: str, possible: bool = True) -> tuple[str, bool]:
        return str(property), possible

    try:
        return marked(*arguments, **named)
    except TypeError:
        raise pytest.UsageError(f"{test}: the marker is {_MARKER}") from None


def _place(request: pytest.FixtureRequest, file: str) -> Path:
    """The path of the document: beside the test's file, or else in the root folder."""
    beside = request.path.parent / file
    return beside if beside.exists() else request.config.rootpath / file
