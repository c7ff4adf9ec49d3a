/** Runs the first two hundred simulated worlds. docs/how-to/simulate.md lists the laws; the deep tier runs ten thousand. */
import { verifies } from '../requirements/verifies.ts';
import { expectLawfulOnAllCores } from './sweep.ts';

verifies(
  'budget:unit-reservation:cannot-overshoot',
  'two hundred seeds keep every law, and no run exceeds a cap',
  async () => await expectLawfulOnAllCores(200),
);
