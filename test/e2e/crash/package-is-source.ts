/** Loaded first by a process of a test: examples import the package by its name, and here that name means the source. */
import { registerHooks } from 'node:module';

const SOURCES: ReadonlyMap<string, string> = new Map([
  ['ambit', new URL('../../../src/index.ts', import.meta.url).href],
  ['ambit/model', new URL('../../../src/model/index.ts', import.meta.url).href],
  ['ambit/testing', new URL('../../../src/testing/index.ts', import.meta.url).href],
  ['ambit/mcp', new URL('../../../src/adapters/mcp/index.ts', import.meta.url).href],
]);

registerHooks({
  resolve: (specifier, context, next) => next(SOURCES.get(specifier) ?? specifier, context),
});
