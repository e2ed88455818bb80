// Checks manifests of Kubernetes: prints a program that constructs each of their objects, for the compiler of TypeScript
// to find fields that are unknown, missing or of a wrong type; and validates what types cannot tell, such as patterns.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);
const { loadAll } = require("js-yaml");

for (const [i, object] of loadAll(readFileSync(process.argv[2], "utf8")).entries()) {
  const { apiVersion, kind, ...fields } = object;
  const from = `kubernetes-models/${apiVersion}/${kind}`;
  new (require(from)[kind])(object).validate();
  console.log(`import { ${kind} as Kind${i} } from "${from}";\nnew Kind${i}(${JSON.stringify(fields, null, 2)});`);
}
