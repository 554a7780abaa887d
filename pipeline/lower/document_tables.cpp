#include "pipeline/lower/document_tables.h"

#include "analysis/report/data/arguments.h"
#include "pipeline/lower/missing_forms.h"
#include "pipeline/lower/verb_table.h"

namespace phasebit::pipeline::lower {

using report::data::ReportData;
using report::data::TableArguments;

std::map<std::string, report::TableMaker> document_tables(const base::Home& home) {
  VerbTableRequest request;
  request.home = request.tools.home = home;
  return {
      {"llvm_verbs",
       [request](const ReportData& data, const TableArguments& arguments) -> Result<table::Table> {
         PHASEBIT_TRY(report::data::no_arguments(arguments));
         return verb_table(request, data);
       }},
      {"llvm_forms",
       [](const ReportData&, const TableArguments& arguments) -> Result<table::Table> {
         PHASEBIT_TRY(report::data::no_arguments(arguments));
         return missing_forms();
       }}};
}

}  // namespace phasebit::pipeline::lower
