"""What a file turned out to be."""

import pytest

from tagfield.data.text.formats.file_format import FileFormat


@pytest.mark.parametrize(
    ("form", "plain"),
    [
        (FileFormat("columns", ("w", "y"), "\t"), True),
        (FileFormat("columns", ("w", "y"), "\t", header=True, comments=True, documents=True), True),
        (FileFormat("columns", ("w", "y"), "\t", strict=True), False),  # cells may hold spaces
        (FileFormat("conllu", ("id", "w", "y"), "\t"), False),
    ],
)
def test_the_native_reader_takes_columns_without_spaces_in_their_cells(form: FileFormat, plain: bool) -> None:
    assert form.plain is plain


def test_roles_are_replaced_only_by_as_many() -> None:
    form = FileFormat("columns", ("w", "pos", "y"), " ", header=True)
    assert form.with_roles(("_", "w", "y")) == FileFormat("columns", ("_", "w", "y"), " ", header=True)
    assert form.with_roles(("w", "y")) is form
    assert form.with_roles(()) is form
