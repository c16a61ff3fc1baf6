"""Names of details that graders write and readers of records ask for."""

#: The detail of a score that lay outside 0..1, as it was given, and was taken to the nearest.
GIVEN_SCORE = "given_score"
#: The detail that says that the judge's reply holds another verdict, which differs.
AMBIGUOUS_REPLY = "ambiguous_reply"
#: The detail with the text of each rubric, by its id, as the judge was asked.
RUBRIC_TEXTS = "rubric_texts"
