"""The course of a run: its speed, the time left, and what is shown of an epoch."""

from tagfield.train.progress.status import RunStatus
from tests.support.runs import Clock, epochs


def test_time_left_follows_the_pace_of_the_last_epochs() -> None:
    clock = Clock()
    course = RunStatus(10, 1000, dev=True, chunks=True, now=clock)
    assert course.left() is None
    for epoch in epochs(4):
        clock.time += 60.0 if epoch.number == 1 else 2.0  # the first one has the calibration in it
        course.add(epoch)
    assert course.left() == 12.0
    clock.time += 1.5
    assert course.left() == 10.5
    clock.time += 100
    assert course.left() == 0.0
    assert course.speed(0) is None
    assert course.speed(2) == 2000.0
