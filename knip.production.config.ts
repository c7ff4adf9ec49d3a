import type { KnipConfig } from 'knip';
import base from './knip.json' with { type: 'json' };

/**
 * Finds code that only tests call (`knip --production`). An export that its own file uses counts as called: tests may
 * import it.
 */
const config: KnipConfig = {
  ...base,
  ignoreExportsUsedInFile: true,
  // Exceptions, each to be called by the metrics registry: `scalarCost`, `meter`, `noteSubtask`.
  ignore: ['src/kernel/budget/cost.ts'],
  ignoreIssues: { 'src/kernel/budget/gauges.ts': ['exports'], 'src/kernel/state/loop-guard.ts': ['exports'] },
};

export default config;
