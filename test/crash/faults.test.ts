/** A run whose disk fails at one place. The deep tier tries more. */
import { testDiskFaults } from './disk-faults.ts';

testDiskFaults(1);
