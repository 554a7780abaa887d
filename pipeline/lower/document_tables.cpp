#include "pipeline/lower/document_tables.h"

#include "pipeline/lower/missing_forms.h"
#include "pipeline/lower/verb_table.h"

namespace phasebit::pipeline::lower {

using report::TableSource;
using report::data::TableArguments;

namespace {

Status no_arguments(const TableArguments& arguments) {
  if (arguments.empty()) return {};
  return fail(Step::usage, "this table takes no argument '{}'", arguments.front().first);
}

}  // namespace

std::map<std::string, report::TableMaker> document_tables(const base::Home& home) {
  VerbTableRequest request;
  request.home = request.tools.home = home;
  return {{"llvm_verbs",
           [request](const TableSource& source,
                     const TableArguments& arguments) -> Result<table::Table> {
             PHASEBIT_TRY(no_arguments(arguments));
             return verb_table(request, source.database, source.device);
           }},
          {"llvm_forms",
           [](const TableSource&, const TableArguments& arguments) -> Result<table::Table> {
             PHASEBIT_TRY(no_arguments(arguments));
             return missing_forms();
           }}};
}

}  // namespace phasebit::pipeline::lower
