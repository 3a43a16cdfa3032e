"""The lemma that lets a proof compare fields in place of bytes.

A frame that leaves is a function of the frame that came in and of its fields' last values, however often
and in which order they were written.
"""

import random

from synth.net.fields import FIELDS
from synth.net.frame import Frame, admit, field_reader, write_frame
from synth.traffic.random_traffic import Traffic
from tests.proof.chains import as_written


def admitted_frames() -> list[Frame]:
    arrivals = Traffic(as_written("napts/napt_1"), 3).random(600)
    # With checksums of all ones, which are where the two zeros of one's complement meet.
    frames = [arrival.data for arrival in arrivals]
    frames += [data[:40] + b"\xff\xff" + data[42:] for data in frames if len(data) > 42]
    return [frame for data in frames if isinstance(frame := admit(data), Frame)]


def test_writing_what_a_field_holds_already_changes_nothing():
    source = random.Random(1)
    for frame in admitted_frames():
        paths = [path for path, field in FIELDS.items() if field.header in frame.present]
        some = source.sample(paths, source.randrange(1, len(paths) + 1))
        assert write_frame(frame, {path: field_reader(path)(frame) for path in some}) == frame.data


def test_the_order_of_writes_and_writes_of_old_values_do_not_show():
    source = random.Random(2)
    for frame in admitted_frames():
        paths = [path for path, f in FIELDS.items() if f.header in frame.present and f.is_writable]
        values = {path: source.getrandbits(FIELDS[path].width) for path in source.sample(paths, 2)}
        others = {path: field_reader(path)(frame) for path in source.sample(paths, 2)}
        expected = write_frame(frame, values)
        assert write_frame(frame, dict(reversed(values.items()))) == expected
        assert write_frame(frame, {**others, **values}) == expected
