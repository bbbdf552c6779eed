"""The grid: what a cell trains with, which cells there are, and that the maps show their figures."""

from pathlib import Path

import numpy as np
import pytest

from studies import sensitivity
from studies.sensitivity import Cell, best_of_sgd, cells, draw, epochs_to, run_grid
from tagfield.bregman import Response, parse_generator, update
from tagfield.compare.plan import Plan
from tests.compare.test_compare import encode_addresses


def test_a_cell_has_its_strength_and_rate_for_small_differences() -> None:
    assert len({cell.run.key for cell in cells()}) == len(cells())
    for cell in cells():
        settings = Plan().settings(cell.run)
        slope = settings.recipe.f.slope
        if cell.parameter is not None:
            assert slope == Response(update("U2"), parse_generator(f"{cell.generator}:{cell.parameter:g}")).slope
        assert settings.c2 / slope == pytest.approx(cell.strength, rel=1e-5)
        assert settings.recipe.rate * slope == pytest.approx(cell.rate, rel=1e-5)


def test_a_small_grid_is_trained_once_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensitivity, "PARAMETERS", {"arctan": (0.1, 1.0)})
    monkeypatch.setattr(sensitivity, "STRENGTHS", (0.1, 1.0))
    monkeypatch.setattr(sensitivity, "RATES", (1.0,))
    train, _ = encode_addresses(60, 5)
    grid = run_grid(train, tmp_path / "grid", epochs=3, workers=2)
    assert len(grid) == 2 + 4
    again = run_grid(train, tmp_path / "grid", epochs=3, workers=1)
    assert {cell: run.epochs for cell, run in again.items()} == {cell: run.epochs for cell, run in grid.items()}
    goal = best_of_sgd(grid)
    plain = [run for cell, run in grid.items() if cell.parameter is None]
    assert goal == max(run.epochs[-1]["test_accuracy"] for run in plain)
    for run in plain:
        first = epochs_to(run, goal)
        curve = run.curve("test_accuracy")
        assert first == (np.argmax(curve >= goal) + 1 if (curve >= goal).any() else np.inf)
    monkeypatch.setattr(sensitivity, "LETTERS", {"arctan": "ε"})
    draw(grid, tmp_path / "maps.png")
    assert (tmp_path / "maps.png").read_bytes().startswith(b"\x89PNG")
    assert Cell("arctan", 0.1, 0.1, 1.0) in grid
