import { isListed, type RunLabels } from '../../../ports/journal/run-labels.ts';
import type { PermissionLog } from './permission-chain.ts';

/** Labels are entries of the chain of permissions, so that none of them can be altered or removed unnoticed. */
export function sqliteLabels(ask: <T>(doing: string, run: (log: PermissionLog) => T) => T): RunLabels {
  return {
    addLabel: async ({ ...label }) =>
      ask('a label', (log) => log.change(() => log.append({ kind: 'run_labelled', label }))),
    labels: async (filter = {}) =>
      ask('the labels', (log) => log.current().labels.filter((each) => isListed(each, filter))),
  };
}
