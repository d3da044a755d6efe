import { describe, expect, it } from 'vitest';
import { apiError } from '../../src/errors.ts';

describe('ApiError', () => {
  it('ends its message with a full stop when a sentence about the outcome follows', () => {
    const lost = apiError('step_unreachable', '0 (sql)', 'the database went away');
    expect(lost.withOutcome('unknown').message).toMatch(/^Step 0 \(sql\) failed: the database went away\. [A-Z]/);
    const failed = apiError('step_timeout', '0 (sql)', '30');
    expect(failed.withOutcome('unknown').message).toMatch(/^Step 0 \(sql\) ran longer than 30 seconds\. [A-Z]/);
  });
});
