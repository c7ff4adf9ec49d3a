import type { KnipConfig } from 'knip';
import base from './knip.json' with { type: 'json' };

/**
 * Finds code that only tests call (`knip --production`). An export that its own file uses counts as called: tests may
 * import it.
 */
const config: KnipConfig = {
  ...base,
  ignoreExportsUsedInFile: true,
  // Exceptions: `scalarCost`, `meter` and `noteSubtask` are for the metrics registry, `shop.ts` is for guides and tests.
  ignore: ['src/kernel/budget/cost.ts', 'examples/01-refund/src/shop.ts'],
  ignoreIssues: { 'src/kernel/budget/gauges.ts': ['exports'], 'src/kernel/state/loop-guard.ts': ['exports'] },
};

export default config;
