"""Tests that run twice in one process. The line above each says what the second run must come to:
what pytest sets up for one item is there again for the next, and what a module keeps is kept."""
import logging
import unittest

import pytest

SEEN = []


@pytest.fixture
def fresh_list():
    return []


@pytest.fixture(params=[1])
def one(request):
    yield request.param


@pytest.fixture(scope="class")
def of_class():
    return []


@pytest.fixture(scope="module")
def of_module():
    return []


@pytest.fixture
def gives_back():
    SEEN.append("lent")
    yield SEEN
    SEEN.remove("lent")


# pass
def test_plain():
    pass


# pass
def test_builtin_fixtures(tmp_path, monkeypatch, capsys, caplog, request, record_property):
    (tmp_path / "f").write_text("x")
    monkeypatch.setenv("SOME_NAME", "1")
    print("said")
    logging.warning("warned")
    record_property("one", 1)
    assert capsys.readouterr().out == "said\n" and len(caplog.records) == 1
    assert [f.name for f in tmp_path.iterdir()] == ["f"] and request.node.name
    assert dict(request.node.user_properties) == {"one": 1}
    assert len(request.node.user_properties) == 1


# pass
def test_capfd(capfd, tmpdir):
    print("said")
    assert capfd.readouterr().out == "said\n" and not tmpdir.listdir()


# pass
def test_own_fixture(fresh_list):
    fresh_list.append(1)
    assert fresh_list == [1]


# pass
def test_is_given_back(gives_back):
    assert gives_back.count("lent") == 1


# fail call AssertionError
def test_module_state():
    SEEN.append("state")
    assert SEEN.count("state") == 1


# fail call AssertionError
def test_module_fixture(of_module):
    of_module.append(1)
    assert of_module == [1]


# pass
@pytest.mark.usefixtures("fresh_list")
@pytest.mark.filterwarnings("error")
def test_marks(request):
    assert request.node.get_closest_marker("filterwarnings")


# pass
@pytest.mark.xfail(strict=True)
def test_xfail(fresh_list):
    assert fresh_list


class TestClass:
    def setup_method(self):
        self.log = getattr(self, "log", []) + ["up"]

    # pass
    def test_own_instance(self, fresh_list):
        assert self.log == ["up"] and not hasattr(self, "mark")
        self.mark = 1

    # fail call AssertionError
    def test_class_state(self):
        kept = TestClass.__dict__.get("kept", 0)
        TestClass.kept = kept + 1
        assert kept == 0

    # fail call AssertionError
    def test_class_fixture(self, of_class):
        of_class.append(1)
        assert of_class == [1]


class TestUnit(unittest.TestCase):
    def setUp(self):
        self.log = getattr(self, "log", []) + ["up"]

    # pass
    def test_own_instance(self):
        self.assertEqual(self.log, ["up"])
        self.assertFalse(hasattr(self, "mark"))
        self.mark = 1

    # fail call AssertionError
    def test_class_state(self):
        kept = TestUnit.__dict__.get("kept", 0)
        TestUnit.kept = kept + 1
        self.assertEqual(kept, 0)
