import type { KnipConfig } from 'knip';
import base from './knip.json' with { type: 'json' };

/**
 * Finds code that only tests call (`knip --production`). An export that its own file uses counts as called: tests may
 * import it.
 */
const config: KnipConfig = {
  ...base,
  ignoreExportsUsedInFile: true,
  // An exception: the shop is for guides and tests.
  ignore: ['examples/01-refund/src/shop.ts'],
};

export default config;
