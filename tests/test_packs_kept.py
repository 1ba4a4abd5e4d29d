"""A pack that comes with pretreat is read once, and again when its file changes."""

import os

from packs_made import HEAD

from pretreat import packs

LIMIT = '[[limit]]\ncite = "A"\nparameter = "Copper"\nunit = "mg/L"\nstatistic = "instantaneous"\nabove = {}\n'


def test_a_bundled_pack_is_read_once_until_its_file_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(packs, "bundled_folder", lambda: tmp_path)
    path = tmp_path / "village.toml"
    path.write_text(HEAD + LIMIT.format("1.5"), encoding="utf-8")
    [first] = packs.load("village").packs
    assert packs.load("village").packs[0] is first
    path.write_text(HEAD + LIMIT.format("2.5"), encoding="utf-8")
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))
    [second] = packs.load("village").packs
    assert [str(pack.rows[0].bounds[0].number) for pack in (first, second)] == ["1.5", "2.5"]
    assert first.sha256 != second.sha256
