import type { RunRule } from '../../model/run/rules.ts';
import type { RunState } from './run-state.ts';

/** Whether this run was begun with the rule. */
export const hasRule = ({ manifest }: Pick<RunState, 'manifest'>, rule: RunRule): boolean =>
  manifest?.rules?.includes(rule) === true;
