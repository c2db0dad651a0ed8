// Prints what Redocly's recommended rules, those of `redocly lint`, find in a document, as JSON.

import { createConfig, lint } from "@redocly/openapi-core";

const config = await createConfig({ extends: ["recommended"] });
const problems = await lint({ ref: process.argv[2], config });
console.log(JSON.stringify(problems.map(({ ruleId, severity, message, location }) =>
  ({ rule: ruleId, severity, message, at: location[0].pointer }))));
