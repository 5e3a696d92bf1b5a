"""The check of histories: a quarter of a minute of the soak, and what it finds when the service lies."""

import time

from tests.faults.histories import Histories, check_end, check_reads
from tests.faults.load import Desk
from tests.faults.plane import Plane, waited
from tests.faults.scale import WHOLE, report
from tests.faults.soak import soak


def test_a_short_soak_has_no_anomaly(plane: Plane) -> None:
    soak(plane, minutes=1.0 if WHOLE else 0.2, rate=30, between=(3, 5))


def test_a_forget_that_is_answered_and_not_done_is_found(plane: Plane) -> None:
    desk, web = Desk.make(), plane.web()
    with Histories(desk, web, rate=40, lies=True, agents=1) as load:
        waited("lies", 120, lambda: sum(one.tries == "forget" for one in list(load.stories.values())) >= 9)
        time.sleep(2)
    lied = sum(1 for one in load.stories.values() if one.tries == "forget")
    reads, rows = check_reads(load), check_end(desk.project, load)
    assert lied >= 3 and reads and rows
    assert {line.partition(":")[0] for line in reads} == {"told after forget"}
    assert {line.partition(":")[0] for line in rows} == {"forgotten and still there"}
    report("F25 control, a service that lies", found_by_reads=len(reads), found_at_the_end=len(rows))
