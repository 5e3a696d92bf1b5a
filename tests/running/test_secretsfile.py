from pathlib import Path

import pytest

from memoryplane import secretsfile
from memoryplane.embedded import StartupFault


def test_secrets_are_made_once_and_only_this_user_reads_them(tmp_path: Path) -> None:
    assert secretsfile.ensure(tmp_path, {}, data=None) is True
    first = secretsfile.lasting(tmp_path)
    assert sorted(first) == sorted(secretsfile.SECRETS)
    assert len(set(first.values())) == 4 and min(map(len, first.values())) >= 50
    assert (tmp_path / "secrets.env").stat().st_mode & 0o777 == 0o600
    assert secretsfile.ensure(tmp_path, {}, data=tmp_path / "postgres") is False
    assert secretsfile.lasting(tmp_path) == first


def test_a_secret_from_the_environment_is_not_made_again(tmp_path: Path) -> None:
    secretsfile.ensure(tmp_path, {"SECRET_KEY": "s" * 50}, data=None)
    assert sorted(secretsfile.lasting(tmp_path)) == sorted(set(secretsfile.SECRETS) - {"SECRET_KEY"})


def test_what_up_found_out_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    secretsfile.ensure(tmp_path, {}, data=None)
    path = secretsfile.path_in(tmp_path)
    path.write_text(path.read_text() + "MEMORYPLANE_LOG_FORMAT=json\n")
    secretsfile.publish(tmp_path, {"REDIS_URL": "unix:///one", "DATABASE_URL": "postgresql://a@/b?host=/c"})
    secretsfile.publish(tmp_path, {"REDIS_URL": "unix:///two"})
    assert secretsfile.found_out(tmp_path) == {"REDIS_URL": "unix:///two"}
    assert sorted(secretsfile.lasting(tmp_path)) == sorted([*secretsfile.SECRETS, "MEMORYPLANE_LOG_FORMAT"])
    assert path.stat().st_mode & 0o777 == 0o600


def test_lost_secrets_beside_data_are_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(StartupFault, match="lacks SECRET_KEY, MEMORYPLANE_KEY_PEPPER"):
        secretsfile.ensure(tmp_path, {}, data=tmp_path / "postgres")
    assert list(tmp_path.iterdir()) == []
