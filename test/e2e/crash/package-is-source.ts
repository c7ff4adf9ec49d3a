/** Resolves the package name, which the examples import, to the source. A test's child process loads it first. */
import { registerHooks } from 'node:module';

const SOURCES: ReadonlyMap<string, string> = new Map([
  ['ambit', new URL('../../../src/index.ts', import.meta.url).href],
  ['ambit/graph', new URL('../../../src/graph.ts', import.meta.url).href],
  ['ambit/records', new URL('../../../src/records.ts', import.meta.url).href],
  ['ambit/approvals', new URL('../../../src/approvals.ts', import.meta.url).href],
  ['ambit/store', new URL('../../../src/store.ts', import.meta.url).href],
  ['ambit/model', new URL('../../../src/model/index.ts', import.meta.url).href],
  ['ambit/testing', new URL('../../../src/testing/index.ts', import.meta.url).href],
  ['ambit/mcp', new URL('../../../src/adapters/mcp/index.ts', import.meta.url).href],
]);

registerHooks({
  resolve: (specifier, context, next) => next(SOURCES.get(specifier) ?? specifier, context),
});
