from jobs import Job, schedule


def test_backup_runs_before_cleanup():
    backup, cleanup = Job("backup"), Job("cleanup")
    names = [job.name for job in schedule(backup, cleanup, backup)]
    assert names == ["backup", "cleanup"]
