"""As sample_outcomes.py, for tests that lean on plugins which trials switch off or leave on."""
import asyncio
import unittest

import pytest


# pass
@pytest.mark.asyncio
async def test_async():
    await asyncio.sleep(0)


# fail call AssertionError
@pytest.mark.asyncio
async def test_async_fails():
    assert 0


class TestAsync(unittest.IsolatedAsyncioTestCase):
    # fail call AssertionError
    async def test_it(self):
        self.assertEqual(1, 2)


# fail call AssertionError
@pytest.mark.timeout(1)
@pytest.mark.flaky(reruns=3)
def test_marked():
    assert 0


# pass
def test_coverage_is_off(cov):
    assert cov is None


# pass
def test_no_workers(worker_id, request):
    assert worker_id == "master"
    assert request.config.getoption("numprocesses") is None
