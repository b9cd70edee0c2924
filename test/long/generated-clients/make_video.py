"""Makes a video with the client that openapi-python-client generated."""

import os
import time

from gateway_client import AuthenticatedClient
from gateway_client.api.models import list_models
from gateway_client.api.videos import create_video, get_video
from gateway_client.models.queued_video import QueuedVideo
from gateway_client.models.running_video import RunningVideo
from gateway_client.models.succeeded_video import SucceededVideo
from gateway_client.models.video_model import VideoModel
from gateway_client.models.video_request import VideoRequest

client = AuthenticatedClient(base_url=os.environ["GATEWAY_URL"], token=os.environ["GATEWAY_KEY"])

models = list_models.sync(client=client)
video_model = next(model for model in models.data if isinstance(model, VideoModel))
assert video_model.parameters.duration.max_ >= 5

video = create_video.sync(
    client=client,
    body=VideoRequest(
        model="sandbox-video", prompt="a red balloon", duration=5, resolution="480p"
    ),
)
while isinstance(video, (QueuedVideo, RunningVideo)):
    time.sleep(0.2)
    video = get_video.sync(video.id, client=client)
assert isinstance(video, SucceededVideo), video
file = client.get_httpx_client().get(video.content.video_url)
assert file.status_code == 200 and file.content[4:8] == b"ftyp"
assert video.portal_billing.billed_quota == 300
