DROP INDEX `connections_user`;--> statement-breakpoint
ALTER TABLE `connections` ADD `name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `position` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `first_id` integer;--> statement-breakpoint
ALTER TABLE `connections` ADD `secret_hash` blob;--> statement-breakpoint
ALTER TABLE `connections` ADD `sealed_secret` blob;--> statement-breakpoint
CREATE UNIQUE INDEX `connections_secret` ON `connections` (`secret_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `connections_user` ON `connections` (`user_id`,`source`,`name`);--> statement-breakpoint
ALTER TABLE `connection_health` ADD `heard_at` integer;