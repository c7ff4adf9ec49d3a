import { jsonAt } from '../../model/json-at.ts';
import { saysSomething, textAt } from '../../model/rules/operation.ts';
import type { ReviewQueueRules } from '../../model/rules/review-queue.ts';
import { type CategoryCheck, FREE, firstOf, incomplete, outside } from './finding.ts';

/** Asking people to look needs nobody's leave. It only has to say why, where, how urgent it is, and on what. */
export const reviewQueueCheck: CategoryCheck<ReviewQueueRules> = (rules, { args }) =>
  firstOf(
    () => (textAt(args, rules.reason) === null ? incomplete(`there is no reason at ${rules.reason}`) : null),
    () => outside('queue', rules.queue, args),
    () => outside('severity', rules.severity, args),
    () =>
      saysSomething(jsonAt(args, rules.evidence))
        ? null
        : incomplete(`there is no evidence packet at ${rules.evidence}`, 'packet_incomplete'),
  ) ?? FREE;
