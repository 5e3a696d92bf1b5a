"""How often a password or a code may be tried, and by what a try is counted."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils.crypto import salted_hmac

PLACE_KNOWN_FOR = timedelta(days=90)
"""How long after a sign-in its address and browser are known as the account's own."""


@dataclass(frozen=True)
class Limit:
    """``tries`` within ``seconds``, from the first of them on."""

    tries: int
    seconds: int


@dataclass(frozen=True)
class Limits:
    """Of an account at one address or in one browser; of an account from wherever it is not known; of an address,
    whichever account it tries."""

    place: Limit
    account: Limit | None = None
    address: Limit | None = None


LIMITS = {
    "password": Limits(place=Limit(5, 900), account=Limit(50, 3600), address=Limit(100, 3600)),
    # Whoever comes so far has the password: six digits stand fewer tries.
    "code": Limits(place=Limit(5, 900), account=Limit(20, 86_400), address=Limit(100, 3600)),
    # Asked again of somebody who is signed in: nobody else can spend it.
    "again": Limits(place=Limit(5, 900)),
}


@dataclass(frozen=True)
class Try:
    """Who tries what from where. ``account`` is what was typed, or a user's id; ``browser`` a random name that this
    installation gave, or empty."""

    purpose: str
    account: str
    address: str = ""
    browser: str = ""

    @property
    def at_address(self) -> str:
        return self._digest("address", self._account, self.address)

    @property
    def in_browser(self) -> str:
        return self._digest("browser", self._account, self.browser)

    @property
    def places(self) -> list[str]:
        """The digests of where it comes from."""
        return [self.at_address, *([self.in_browser] if self.browser else [])]

    def counted(self, known: set[str]) -> dict[str, Limit]:
        """Digest → limit of every window this try is counted in; ``known`` are the places the account has signed in from.

        From a known browser others can't spend the budget, not even from the same address; from a known address they can
        only from there.
        """
        limits = LIMITS[self.purpose]
        if self.in_browser in known:
            return {self.in_browser: limits.place}
        windows = {self.at_address: limits.place}
        if limits.address:
            windows[self._digest("everybody", self.address)] = limits.address
        if limits.account and self.at_address not in known:
            windows[self._digest("account", self._account)] = limits.account
        return windows

    @property
    def _account(self) -> str:
        # As the database compares addresses: by their capitals, in which some letters are one.
        return self.account.strip().upper().lower()

    def _digest(self, *parts: str) -> str:
        said = "\0".join((self.purpose, *parts))
        return salted_hmac("memoryplane.access.tries", said, algorithm="sha256").hexdigest()
