// The steps of the metric flat.
#include "kernel/pass/owned_loops.hpp"

namespace tagfield {

template std::unique_ptr<OwnedStep> make_loops<Metric::FLAT>(const Corpus&, const Layout&, const Pass&, const ChainForm&, const Share&);

}  // namespace tagfield
