/** Loaded first by a process of the sweep: examples import the package by its name, and here that name means the source. */
import { registerHooks } from 'node:module';

const SOURCE = new URL('../../../src/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'ambit' ? SOURCE : specifier, context),
});
