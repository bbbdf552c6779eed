// The steps of the preconditioner adaptive.
#include "kernel/pass/owned_loops.hpp"

namespace tagfield {

template std::unique_ptr<OwnedStep> make_loops<Preconditioner::ADAGRAD>(const Corpus&, const Layout&, const Pass&, const ChainForm&, const Share&);

}  // namespace tagfield
