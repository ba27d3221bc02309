"""Files are written whole, where the path leads; what is no file is written to, not replaced."""

import os
from pathlib import Path
from threading import Thread

import pytest

from slidebench.harness.files import FileError, TakenError, write_atomically

OTHER = "choose another"


def test_folders_are_made_and_nothing_else_is_left_there(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    write_atomically(path, b"one", OTHER)
    write_atomically(path, b"two", OTHER)
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_a_new_file_takes_nobodys_place(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", b"one", OTHER, new=True)
    with pytest.raises(TakenError):
        write_atomically(tmp_path / "file", b"two", OTHER, new=True)
    assert (tmp_path / "file").read_bytes() == b"one"


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    for content in (b"one", b"two"):
        write_atomically(tmp_path / "link", content, OTHER)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "target").read_bytes() == content


def test_a_device_stays_a_device() -> None:
    write_atomically(Path("/dev/null"), b"one", OTHER)
    assert Path("/dev/null").is_char_device()
    with pytest.raises(FileError, match="cannot write /dev/full: No space left on device; choose another"):
        write_atomically(Path("/dev/full"), b"one", OTHER)
    assert Path("/dev/full").is_char_device()


def test_who_reads_a_pipe_gets_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"one", OTHER)
    reader.join(10)
    assert read == [b"one"]


@pytest.mark.parametrize("name", ["", "file/below"], ids=["a folder", "below a file"])
def test_a_path_that_cannot_be_written_is_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"cannot write \S+: [A-Z][a-z ]+; choose another"):
        write_atomically(tmp_path / name, b"one", OTHER)
