from filenames import unique_name, unique_names


def test_the_examples():
    assert unique_name("Report.pdf", ["report.pdf", "REPORT (1).PDF"], ignore_case=True) == "Report (2).pdf"
    assert unique_names(["a.txt", "A.txt"], ignore_case=True) == ["a.txt", "A (1).txt"]


def test_without_the_option_all_is_as_before():
    assert unique_name("Report.pdf", ["report.pdf"]) == "Report.pdf"
    assert unique_name("a.txt", ["a.txt", "A (1).txt"]) == "a (1).txt"
    assert unique_names(["a.txt", "A.txt", "a.txt"], ["A.txt"]) == ["a.txt", "A (1).txt", "a (1).txt"]
    assert unique_name("Report.pdf", ["report.pdf"], ignore_case=False) == "Report.pdf"


def test_free_name_keeps_its_capitals():
    assert unique_name("ReadMe.MD", ["other.md"], ignore_case=True) == "ReadMe.MD"
    assert unique_names(["ReadMe.MD", "IMG.Tar.GZ"], ["img.tar.gz"], ignore_case=True) == [
        "ReadMe.MD",
        "IMG (1).Tar.GZ",
    ]


def test_names_given_before_count():
    assert unique_names(["Ä.TXT", "ä.txt", "Ä.txt", "b.txt"], ["B.TXT"], ignore_case=True) == [
        "Ä.TXT",
        "ä (1).txt",
        "Ä (2).txt",
        "b (1).txt",
    ]


def test_a_numbered_name_given_before_counts():
    assert unique_names(["PIC (1).png", "Pic.png", "pic.png"], ignore_case=True) == [
        "PIC (1).png",
        "Pic.png",
        "pic (2).png",
    ]


def test_taken_is_any_iterable_and_left_alone():
    taken = ["A.txt", "A (1).TXT"]
    assert unique_name("a.txt", (name for name in taken), ignore_case=True) == "a (2).txt"
    assert unique_names(["a.txt"], taken, ignore_case=True) == ["a (2).txt"]
    assert taken == ["A.txt", "A (1).TXT"]
