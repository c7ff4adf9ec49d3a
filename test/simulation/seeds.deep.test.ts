/** Ten thousand simulated runs. docs/how-to/simulate.md lists the laws they keep. */
import { verifies } from '../requirements/verifies.ts';
import { expectLawfulOnAllCores } from './sweep.ts';

verifies(
  'budget:unit-reservation:cannot-overshoot',
  'ten thousand seeds keep every law, and no run exceeds a cap',
  async () => await expectLawfulOnAllCores(10_000),
  { timeout: 900_000 },
);
