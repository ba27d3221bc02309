import os

import pytest

from slidebench.harness.machine.system import System, usable_cpus


@pytest.mark.parametrize(("no_turbo", "boost"), [("0", True), ("1", False)])
def test_intels_switch_for_boost_says_the_opposite(tmp_path, write_system, no_turbo, boost):
    system = write_system(tmp_path, sys__devices__system__cpu__intel_pstate__no_turbo=no_turbo)
    assert system.boost() is boost


def test_odd_contents_are_none(tmp_path, write_system):
    system = write_system(
        tmp_path,
        sys__devices__system__cpu__online="all",
        sys__devices__system__cpu__smt__active="perhaps",
        sys__devices__system__cpu__cpu0__cpufreq__cpuinfo_max_freq="<unknown>",
        sys__devices__system__cpu__cpu0__cpufreq__scaling_governor="",
    )
    assert (system.logical_cpus(), system.smt_active(), system.max_mhz(), system.governor()) == (None,) * 4


@pytest.mark.parametrize(("online", "count"), [("0", 1), ("0-1", 2), ("0,2,4-5", 4), ("0-191", 192)])
def test_online_cpus_are_counted(tmp_path, write_system, online, count):
    assert write_system(tmp_path, sys__devices__system__cpu__online=online).logical_cpus() == count


def test_cpus_that_a_process_is_pinned_to_are_counted_where_the_system_says(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert usable_cpus() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert usable_cpus() == 8
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cpus() == 1


def test_only_hybrids_have_kinds_of_cores(tmp_path, write_system):
    assert System(tmp_path).cores_by_kind() is None
    system = write_system(tmp_path, sys__devices__cpu_core__cpus="0-11", sys__devices__cpu_atom__cpus="12-19")
    assert system.cores_by_kind() == {"P": "0-11", "E": "12-19"}


def test_bytes_that_are_not_text_do_no_harm(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_bytes(b"model name\t: \xff\xfe\nmicrocode\t: 0x2b\n")
    assert System(tmp_path).microcode() == "0x2b"
