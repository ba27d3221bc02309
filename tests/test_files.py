"""Files are written in one step, through links; pipes and devices are written to, not replaced."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from slidebench.harness.files import FileError, create_atomically, write_atomically

OTHER = "choose another"


def test_folders_are_created_and_no_temporary_file_remains(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    write_atomically(path, b"one", OTHER)
    write_atomically(path, b"two", OTHER)
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_a_new_file_never_replaces_another(tmp_path: Path) -> None:
    assert create_atomically(tmp_path / "file", b"one", OTHER)
    assert not create_atomically(tmp_path / "file", b"two", OTHER)
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
    with pytest.raises(
        FileError, match=r"cannot write /dev/full \(No space left on device\): choose another"
    ):
        write_atomically(Path("/dev/full"), b"one", OTHER)
    assert Path("/dev/full").is_char_device()


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
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
    with pytest.raises(FileError, match=r"cannot write \S+ \([A-Z][a-z ]+\): choose another"):
        write_atomically(tmp_path / name, b"one", OTHER)


@pytest.mark.parametrize("kind", ["a file", "a pipe"])
def test_output_to_dev_stdout_is_appended(kind: str, tmp_path: Path) -> None:
    program = (
        "import pathlib, slidebench.harness.files as files\n"
        "print('before')\n"
        "files.write_atomically(pathlib.Path('/dev/stdout'), b'report\\n', 'choose another')\n"
        "print('after')\n"
    )
    log = tmp_path / "log"
    log.write_text("old\n")
    if kind == "a file":
        with log.open("a") as stdout:
            subprocess.run([sys.executable, "-c", program], stdout=stdout, check=True)
        assert log.read_text() == "old\nbefore\nreport\nafter\n"
        assert list(tmp_path.iterdir()) == [log]
    else:
        done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
        assert done.stdout == b"before\nreport\nafter\n"


def test_a_dangling_link_is_followed_and_a_circular_one_refused(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("new")
    write_atomically(tmp_path / "dangling", b"one", OTHER)
    assert (tmp_path / "new").read_bytes() == b"one"
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(FileError, match="Too many levels of symbolic links"):
        write_atomically(tmp_path / "circle", b"one", OTHER)
