"""Post messages that are due."""

from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from apps.core.failpoints import reached
from apps.exchange.adapters.post_hook import post_hook
from apps.exchange.delivering import begin, finish
from apps.exchange.hook_leases import AT_ONCE, claim_deliveries


def deliver_hooks(*, limit: int = AT_ONCE) -> int:
    """How many messages were claimed, of any project; those that are due side by side, so that a receiver that hangs
    keeps none of the others waiting. No connection to the database is held meanwhile."""
    claims = claim_deliveries(limit=limit)
    reached("hook.claimed")
    letters = [letter for claim in claims if (letter := begin(claim)) is not None]
    reached("hook.begun")
    if not letters:
        return len(claims)
    if not connection.in_atomic_block:
        connection.close()
    with ThreadPoolExecutor(max_workers=len(letters)) as pool:
        answers = list(pool.map(lambda letter: post_hook(letter.url, letter.headers, letter.body), letters))
    reached("hook.posted")
    for letter, answer in zip(letters, answers, strict=True):
        finish(letter, answer)
    return len(claims)
