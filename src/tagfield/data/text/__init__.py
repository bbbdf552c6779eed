"""Text in, sentences and attributes out, and back to files.

    sources.py    a path, a .gz, a folder of brat or standard input ─▶ bytes; the file and line of each sentence
    formats/      columns, CoNLL-U, JSON, brat, …: recognised, read and written; the table of formats
    records.py    what every format reads and writes: Sentence, Document
    reading.py    `read`: files or rows ─▶ records            writing.py   `write`: records ─▶ a file
    spans.py      spans of characters ⇄ labels of tokens
    tokenizer/    running text ─▶ sentences of tokens
    templates/    templates: cells ─▶ attribute strings
    encoders/     files, item lines and words ─▶ Dataset

Parsing, template expansion and vocabularies are native (native/text); these files open, check and report.
"""
