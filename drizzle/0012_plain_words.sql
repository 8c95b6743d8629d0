ALTER TABLE `connection_health` RENAME TO `connection_statuses`;
--> statement-breakpoint
ALTER TABLE `connection_statuses` RENAME COLUMN `because` TO `reason`;
--> statement-breakpoint
ALTER TABLE `connection_statuses` RENAME COLUMN `heard_at` TO `first_report_at`;
--> statement-breakpoint
ALTER TABLE `one_time_links` RENAME TO `magic_links`;
--> statement-breakpoint
DROP INDEX `one_time_links_user`;
--> statement-breakpoint
CREATE INDEX `magic_links_user` ON `magic_links` (`user_id`);
--> statement-breakpoint
ALTER TABLE `heard_songs` RENAME TO `songs`;
--> statement-breakpoint
DROP INDEX `heard_songs_user`;
--> statement-breakpoint
CREATE UNIQUE INDEX `songs_user` ON `songs` (`user_id`,`started_at`);
--> statement-breakpoint
ALTER TABLE `histories` RENAME COLUMN `hears_streams` TO `follows_streams`;
--> statement-breakpoint
ALTER TABLE `changes` ADD `table_name` text NOT NULL DEFAULT '';
--> statement-breakpoint
DROP INDEX `changes_user`;
--> statement-breakpoint
CREATE UNIQUE INDEX `changes_user` ON `changes` (`user_id`,`table_name`);
