import pytest
from django.http import QueryDict

from apps.core.errors import FieldError, Invalid
from apps.core.fields import query_choice, query_float, query_int, query_only, query_text


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=0", "out_of_range"),
        ("limit=201", "out_of_range"),
        ("limit=-1", "out_of_range"),
        ("limit=999999999999999999999999", "wrong_type"),
        ("limit=", "wrong_type"),
        ("limit=abc", "wrong_type"),
        ("limit=1.0", "wrong_type"),
        ("limit=1e2", "wrong_type"),
        ("limit=%D9%A1%D9%A2", "wrong_type"),
        ("limit=%2B5", "wrong_type"),
        ("limit=+5", "wrong_type"),
        ("limit=1_0", "wrong_type"),
        ("limit=5%0A", "wrong_type"),
        ("limit=5&limit=5", "repeated_parameter"),
        ("limit=5&limit=", "repeated_parameter"),
    ],
)
def test_bad_query_integers(query: str, code: str) -> None:
    with pytest.raises(Invalid) as caught:
        query_int(QueryDict(query), "limit", 50, 1, 200)
    assert (caught.value.code, caught.value.parameter, caught.value.status) == (code, "limit", 422)
    assert caught.value.errors == (FieldError(code, caught.value.detail, parameter="limit"),)


def test_good_query_values() -> None:
    params = QueryDict("limit=200&t=0.75&q=+a%25_&sort=new")
    assert query_int(params, "limit", 50, 1, 200) == 200
    assert query_int(params, "offset", 7, 1, 200) == 7
    assert query_int(params, "offset", None, 1, 200) is None
    assert query_float(params, "t", 0.0, 0, 1) == 0.75
    assert query_float(params, "u", 0.5, 0, 1) == 0.5
    assert query_text(params, "q") == " a%_"
    assert query_text(params, "r") == ""
    assert query_choice(params, "sort", "old", ("old", "new")) == "new"


@pytest.mark.parametrize("sent", ["nan", "inf", "1e400", "1e-1", "2", "-0.1", ".5", "٠.٥", "1,5", "0.5 "])
def test_bad_query_floats(sent: str) -> None:
    params = QueryDict(mutable=True)
    params["t"] = sent
    with pytest.raises(Invalid) as caught:
        query_float(params, "t", 0.0, 0, 1)
    assert caught.value.parameter == "t"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("q=a%00", "null_character"),
        ("q=" + "x" * 201, "too_long"),
        ("q=a&q=b", "repeated_parameter"),
    ],
)
def test_bad_query_texts(query: str, code: str) -> None:
    with pytest.raises(Invalid) as caught:
        query_text(QueryDict(query), "q")
    assert (caught.value.code, caught.value.parameter) == (code, "q")


def test_blank_query_texts_can_be_refused() -> None:
    with pytest.raises(Invalid, match="blank"):
        query_text(QueryDict("user_id=%20"), "user_id", allow_blank=False)


def test_unknown_parameters_and_choices_are_refused() -> None:
    query_only(QueryDict("a=1&b="), ("a", "b"))
    with pytest.raises(Invalid) as caught:
        query_only(QueryDict(f"a=1&c=s3cret&{'d' * 100}="), ("a", "b"))
    assert caught.value.code == "unknown_parameter"
    assert [fault.parameter for fault in caught.value.errors] == ["c", "d" * 64]
    assert "s3cret" not in repr(caught.value.errors)
    with pytest.raises(Invalid, match="unknown_choice"):
        query_choice(QueryDict("sort=id;drop"), "sort", "new", ("new", "old"))
