/** A run whose disk fails at many places; `AMBIT_FAULT_PLACES=100` tries every place. */
import { testDiskFaults } from './disk-faults.ts';

testDiskFaults(Number(process.env['AMBIT_FAULT_PLACES'] ?? 5));
