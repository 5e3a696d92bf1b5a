"""A person at the console without a browser: real HTTP, real forms, the cookies and tokens a browser would send."""

import re
from html import unescape

import httpx


class Person:
    """Logged in at a live server. `get` and `post` return the final answer after redirects."""

    def __init__(self, url: str, email: str, password: str) -> None:
        self.http = httpx.Client(base_url=url, follow_redirects=True, timeout=30)
        page = self.get("/account/login/")
        answer = self.post(str(page.url.path), {"login": email, "password": password}, token_from=page)
        assert "account/login" not in str(answer.url), answer.text[:2000]

    def get(self, path: str) -> httpx.Response:
        answer = self.http.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:2000])
        return answer

    def post(self, path: str, fields: dict[str, str], *, token_from: httpx.Response | None = None) -> httpx.Response:
        """Send a form. The token is read from the page the form stands on (`/` unless told)."""
        page = token_from or self.get("/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"|"X-CSRFToken": "([^"]+)"', unescape(page.text))
        assert token is not None, page.text[:2000]
        return self.http.post(path, data=fields | {"csrfmiddlewaretoken": token[1] or token[2]})
