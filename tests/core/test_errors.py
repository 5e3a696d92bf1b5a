import pytest

from apps.core import errors
from apps.core.errors import Conflict, DomainError, FieldError, Invalid, RateLimited


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("NotAuthenticated", 401),
        ("NotAllowed", 403),
        ("NotFound", 404),
        ("Conflict", 409),
        ("Invalid", 422),
        ("Malformed", 400),
        ("TooLarge", 413),
        ("UnsupportedMedia", 415),
        ("RateLimited", 429),
        ("Unavailable", 503),
    ],
)
def test_each_refusal_has_its_status(name: str, status: int) -> None:
    error = getattr(errors, name)("some_code", "Some sentence.")
    assert isinstance(error, DomainError)
    assert (error.code, error.detail, error.status) == ("some_code", "Some sentence.", status)
    assert (error.pointer, error.parameter, error.errors, error.retry_after) == (None, None, (), None)
    assert str(error) == "some_code: Some sentence."


def test_a_fault_in_one_place_is_listed() -> None:
    error = Invalid("blank", "The content is blank.", pointer="/content")
    assert error.errors == (FieldError("blank", "The content is blank.", pointer="/content"),)
    assert Invalid("wrong_type", "No.", parameter="limit").errors == (
        FieldError("wrong_type", "No.", parameter="limit"),
    )


def test_given_faults_stay_as_they_are() -> None:
    faults = [FieldError("blank", "a", "/a"), FieldError("blank", "b", "/b")]
    assert Invalid("invalid", "Two.", pointer="", errors=faults).errors == tuple(faults)


def test_retry_after_is_carried() -> None:
    assert RateLimited("slow_down", "Later.", retry_after=7).retry_after == 7


def test_an_error_can_be_raised_twice() -> None:
    error = Conflict("proposal_decided", "It is decided.")
    for _ in range(2):
        with pytest.raises(Conflict) as caught:
            raise error
        assert caught.value is error
