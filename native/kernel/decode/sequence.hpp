// One sequence at a time, from attribute ids: the kernels' side of SequenceDoor. What decode.hpp does for a corpus, with the
// same bits, but without one: nothing is packed, checked again or allocated for a call.
//
//     ids ─▶ places of rows ─▶ scores, in registers ─▶ best path · marginals
//
// Up to 32 labels the scores of a token stay in registers while its rows are added. The sparse rows of a model are found
// through `places_`: one load tells where a row lies and which blocks it has, where the layout's own arrays take two. A block
// that a row lacks is read as −0.0, which changes no sum: a loop over the blocks of a row would mispredict every other one.
#pragma once
#include <memory>

#include "kernel/corpus/weights.hpp"
#include "sequence_door.hpp"

namespace tagfield {

std::unique_ptr<SequenceDoor> make_sequence(const FieldOf<float>& field);
std::unique_ptr<SequenceDoor> make_sequence(const FieldOf<double>& field);

}  // namespace tagfield
