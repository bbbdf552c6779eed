"""Model: labels, attributes and weights together; it trains, tags, explains itself, and has a file.

model.py       Model: training, files, weights     labeller.py    tag, marginals, spans and the rest
reader.py      input in the model's ids            direct.py      from objects to labels in one native call
answers.py     what a decoder says                 sentences.py   texts, and the words in them
tagged.py      labelled text with offsets          explain.py     why a token has its label
file.py        its parts and its file              info.py        how it was trained, as the file keeps it
inspection.py  its weights                         formats/       models of CRFsuite, CRF++ and Wapiti
arrow/         tables of Arrow
"""
