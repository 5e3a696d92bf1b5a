"""What is held back of a package until a person has decided: names and contacts that may be somebody else's."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from html import escape

from apps.core.sealing import PACKAGES, seal, unseal
from apps.privacy.models import AccessPackage
from apps.privacy.package import MANIFEST, zipped
from apps.privacy.redaction import UNSURE, Held


@dataclass(frozen=True)
class HeldName:
    """``number`` is the one in its place in the package; ``told``: somebody decided that it may be told there."""

    number: int
    said: str
    around: str
    times: int
    told: bool = False


def sealed_names(held: Iterable[Held]) -> bytes | None:
    """As they lie beside the package; null where nothing was held back."""
    return _sealed(HeldName(one.number, one.said, one.around, one.times) for one in held)


def names_held(package: AccessPackage) -> list[HeldName]:
    """Those of a package that is still there, by number."""
    if package.held is None:
        return []
    return [HeldName(**one) for one in json.loads(unseal(bytes(package.held), use=PACKAGES))]


def tell(package: AccessPackage, numbers: set[int]) -> list[HeldName]:
    """Put these names in their places and make the manifest anew; returns those that were not there before. Not saved."""
    names = names_held(package)
    fresh = [one for one in names if one.number in numbers and not one.told]
    assert package.content is not None  # a package with names is there
    content = _with(unseal(bytes(package.content), use=PACKAGES), fresh)
    package.content, package.sha256 = seal(content, use=PACKAGES), hashlib.sha256(content).digest()
    package.size = len(content)
    package.held = _sealed(HeldName(**asdict(one) | {"told": one.told or one in fresh}) for one in names)
    return fresh


def _sealed(names: Iterable[HeldName]) -> bytes | None:
    rows = [asdict(one) for one in names]
    return seal(json.dumps(rows, ensure_ascii=False).encode(), use=PACKAGES) if rows else None


def _with(packed: bytes, names: list[HeldName]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    manifest = json.loads(files.pop(MANIFEST))
    for name in files:
        for one in names:
            place = UNSURE.format(one.number)
            if name.endswith(".jsonl"):
                said = json.dumps(one.said, ensure_ascii=False)[1:-1]
            elif name.endswith(".html"):
                place, said = escape(place), escape(one.said)
            else:
                continue
            files[name] = files[name].replace(place, said)
    coded = {name: text.encode() for name, text in files.items()}
    manifest["files"] = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(coded.items())}
    return zipped(coded | {MANIFEST: json.dumps(manifest, indent=1).encode()})
