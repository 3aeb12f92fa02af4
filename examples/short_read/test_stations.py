from stations import Station, report


def test_a_report_has_all_its_lines():
    station = Station(["wind 4", "rain 0", "temp 19"])
    station.start()
    assert report(station.address) == ["wind 4", "rain 0", "temp 19"]
