"""Model: labels, attributes and weights together; it trains, tags, explains itself, and has a file.

model.py      Model                          file.py       its file
reading.py    what it reads                  formats/      models of CRFsuite, CRF++ and Wapiti
tagged.py     labelled text with offsets     explain.py    why a token has its label
arrow/        tables of Arrow
"""
