ALTER TABLE `connections` ADD `account_hash` blob;--> statement-breakpoint
ALTER TABLE `connections` ADD `consent_ends_at` integer;--> statement-breakpoint
CREATE INDEX `connections_account` ON `connections` (`account_hash`);--> statement-breakpoint
CREATE INDEX `connections_consent` ON `connections` (`consent_ends_at`);