# SPDX-License-Identifier: Apache-2.0
"""Images of an earlier version are read, answer as they did, and are written as the same bytes."""
import pytest

import images

AGAIN = "the images are of another version: record them again (tests/guard/states.md)"


def check_answers(folder, want):
    for verb, before in want["answers"]:
        assert images.answers(folder, [verb]) == [[verb, before]]


def check_bytes(folder, image):
    code, _, err = images.run("save", "-f", "c.image", "--out", "again.image", folder=folder)
    assert code == 0, err
    assert (folder / "again.image").read_bytes() == image


@pytest.fixture(params=images.WORLDS)
def kept(request, tmp_path):
    """(name, folder with the image, its bytes, what is recorded)."""
    want = images.recorded(request.param)
    image = images.put(request.param, tmp_path)
    if want["version"] != images.version():
        code, _, err = images.run("tree", "-f", "c.image", folder=tmp_path)
        assert code == 1 and "the image is of another version: " in err
        pytest.skip(AGAIN)
    return request.param, tmp_path, image, want


def test_it_answers_as_before(kept):
    _, folder, _, want = kept
    assert want["answers"][0][1][0] == 0 and len(want["answers"]) >= 6
    check_answers(folder, want)


def test_it_is_written_as_the_same_bytes(kept):
    _, folder, image, _ = kept
    check_bytes(folder, image)


# --- each check can fail ---

@pytest.mark.parametrize("part, other", [(0, 77), (1, "another\n"), (2, "another\n")])
def test_another_answer_is_seen(kept, part, other):
    _, folder, _, want = kept
    for verb, answer in want["answers"]:
        spoilt = [*answer[:part], other, *answer[part + 1:]]
        with pytest.raises(AssertionError):
            check_answers(folder, {"answers": [[verb, spoilt]]})


def test_another_image_is_seen(tmp_path):
    """That of one world with the answers of another; and one in which a byte is another."""
    want = images.recorded("story")
    if want["version"] != images.version():
        pytest.skip(AGAIN)
    image = images.put("loop", tmp_path)
    with pytest.raises(AssertionError):
        check_answers(tmp_path, want)
    with pytest.raises(AssertionError):
        check_bytes(tmp_path, image[:-1] + bytes([image[-1] ^ 1]))
    (tmp_path / "c.image").write_bytes(image[:-40] + bytes([image[-40] ^ 1]) + image[-39:])
    with pytest.raises(AssertionError):
        check_bytes(tmp_path, image)
